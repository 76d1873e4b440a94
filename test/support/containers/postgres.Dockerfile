# In the place of postgres:18-trixie: the embedded Postgres, with the tools of Debian.
FROM fleetgate-base
COPY postgres /usr/lib/fleetgate-postgres
COPY postgres-entrypoint.sh /usr/local/bin/
RUN useradd --uid 999 --user-group postgres \
 && install -d -o postgres -g postgres /var/run/postgresql /var/lib/postgresql \
 && ln -s /usr/lib/postgresql/*/bin/pg_isready /usr/local/bin/pg_isready
ENV LANG=C.UTF-8 \
    PATH=/usr/local/bin:/usr/lib/fleetgate-postgres/bin:/usr/bin:/bin
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["sh", "/usr/local/bin/postgres-entrypoint.sh"]
