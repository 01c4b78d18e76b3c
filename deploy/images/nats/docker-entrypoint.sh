#!/bin/sh
set -e
[ "${1#-}" = "$1" ] || set -- nats-server "$@"
exec "$@"
