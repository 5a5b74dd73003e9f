# The base is pinned by its digest, that of all its platforms. The version is the one that package.json has.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base
WORKDIR /app

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY build.mjs run.mjs tsconfig.json vite.config.ts ./
COPY schema ./schema
COPY src ./src
COPY web ./web
# The development identity provider has no place in production.
RUN npm run build && rm -r dist/server/dev

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
RUN install --directory --owner=1000 --group=1000 --mode=700 /data
COPY --from=build /app/package.json ./
# All other packages are part of what is built.
COPY --from=build /app/node_modules/better-sqlite3 ./node_modules/better-sqlite3
COPY --from=build /app/dist ./dist
# By number: Kubernetes' runAsNonRoot does not look up names. It is the image's user `node`.
USER 1000:1000
# The one place that is written to, beside /tmp: the root file system may be read-only.
VOLUME /data
EXPOSE 4000
STOPSIGNAL SIGTERM
# Alive, not ready: whoever restarts what is unhealthy must not do so because the database is away.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1))"]
# Node itself is the process, so that it gets the signals. Commands are scripts: dist/server/migrate.js.
ENTRYPOINT ["node"]
CMD ["dist/server/main.js"]
