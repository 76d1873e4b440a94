#!/bin/bash
# Whether the process of this container answers. bash opens the connection itself: the image has no curl, and a Node for each
# check takes a second where all cores are busy.
exec 3<>"/dev/tcp/127.0.0.1/${PORT:-8080}" || exit 1
printf 'GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
read -r _ status _ <&3
[ "$status" = 200 ]
