# The first stage builds the package and installs it without development dependencies. The second stage copies the result.
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY . .
RUN npm ci && mkdir packed && npm pack --ignore-scripts --pack-destination packed
RUN mkdir /app && cd /app && echo '{"private":true}' > package.json \
  && npm install --omit=dev --ignore-scripts --no-audit --no-fund /build/packed/authsvc-*.tgz \
  && rm -rf /root/.npm \
  && mkdir /data && chown 10001:10001 /data

FROM ${NODE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=sqlite:/data/authsvc.sqlite
COPY --from=build /app /app
COPY --from=build --chown=10001:10001 /data /data
WORKDIR /data
VOLUME /data
USER 10001:10001
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=20s CMD ["node", "/app/node_modules/authsvc/dist/main.js", "health"]
ENTRYPOINT ["node", "/app/node_modules/authsvc/dist/main.js"]
CMD ["serve"]
