"""The whole house on one machine: a child nats-server, every service as a process, and a front door."""
