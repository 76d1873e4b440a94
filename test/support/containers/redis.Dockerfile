# In the place of redis:8-trixie: the Redis of Debian. The official image has no protected mode either.
FROM fleetgate-base
RUN install -d -o redis -g redis /data
VOLUME /data
WORKDIR /data
ENTRYPOINT ["sh", "-c", "exec setpriv --reuid=redis --regid=redis --clear-groups \"$@\" --protected-mode no", "sh"]
