-- One for each read model, and one for the people, whom no log can rebuild.
CREATE DATABASE scoring;
CREATE DATABASE spectator;
CREATE DATABASE tournament;
CREATE DATABASE people;
