# One image for every role: ROLE=all (default), api or worker. docker-compose.yml shows them together.
# Tags, not digests: a digest would have to be renewed with each security fix of the base. Pin one in your own build if you do that.

FROM node:24-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci

FROM dependencies AS build
COPY tsconfig.json tsconfig.build.json ./
COPY docs/reference/openapi.json docs/reference/
COPY scripts scripts
COPY migrations migrations
COPY src src
COPY console console
RUN node scripts/ensure.mjs

FROM dependencies AS production
# npm leaves TypeScript: @nestjs/swagger can use it in a compiler's plug-in, which is not used here. It has 24 MB.
RUN npm prune --omit=dev && rm -r node_modules/typescript

# Debian, not Alpine: the embedded Postgres needs glibc.
FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="fleetgate" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    DATA_DIR=/var/lib/fleetgate
WORKDIR /app
RUN install -d -o node -g node -m 0700 /var/lib/fleetgate
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY docs docs
COPY package.json LICENSE ./
COPY deploy/entrypoint.sh deploy/healthcheck.sh deploy/
USER node
VOLUME /var/lib/fleetgate
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 CMD ["/bin/bash", "/app/deploy/healthcheck.sh"]
ENTRYPOINT ["/bin/sh", "/app/deploy/entrypoint.sh"]
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
