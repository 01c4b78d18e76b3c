"""The door for browsers and programs: HTTP in, server-sent events out, and the pages. It keeps nothing."""
