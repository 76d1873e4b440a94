# One image for every role: ROLE=all (default), api or worker. docker-compose.yml shows them together.

FROM node:24-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM base AS build
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY docs/reference/openapi.json docs/reference/
COPY scripts scripts
COPY migrations migrations
COPY src src
COPY console console
RUN node scripts/ensure.mjs

FROM base AS dependencies
RUN npm ci --omit=dev

# Debian, not Alpine: the embedded Postgres needs glibc.
FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="fleetgate" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    DATA_DIR=/var/lib/fleetgate
WORKDIR /app
RUN install -d -o node -g node -m 0700 /var/lib/fleetgate
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
COPY deploy/entrypoint.sh deploy/
USER node
VOLUME /var/lib/fleetgate
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/bin/sh", "/app/deploy/entrypoint.sh"]
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
