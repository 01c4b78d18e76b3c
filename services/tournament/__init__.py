"""The tournament service: people, ratings, and the events that they play."""
