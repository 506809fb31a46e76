# One instance of the server:
# docker build --pull --build-arg COMMIT=$(git rev-parse --short=12 HEAD) -t audio-oficial-premium .
# Reasons: docs/decisions/0025-container.md. tests/deploy/image.test.ts runs its commands.
ARG BASE=node:24.21.0-trixie-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# Named by the build, in the log and in the metrics; the context has no git.
ARG COMMIT=
RUN npm run assemble -- assembled

FROM ${BASE}
# Set by npm version.
ARG VERSION=2.2.1
ARG COMMIT=
LABEL org.opencontainers.image.title=audio-oficial-premium org.opencontainers.image.version=${VERSION} \
  org.opencontainers.image.revision=${COMMIT}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
WORKDIR /audio
COPY --from=build /build/assembled ./
# The image's user `node`, by number so that an orchestrator sees that it is not root. It owns no file here.
USER 1000:1000
EXPOSE 4000
STOPSIGNAL SIGTERM
# Checks the process only: a lost database is no reason to restart it. It listens once migrations and connections are
# ready. By bash, which opens TCP itself, since the image has no curl: Node would take 100 times the processor.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ $status = 200 ]"]
CMD ["node", "--enable-source-maps", "dist/server/main.js"]
