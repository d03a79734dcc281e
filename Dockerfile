# For production, pin the digest beside the tag: `docker buildx imagetools inspect node:24-bookworm-slim` prints it,
# and `FROM node:24-bookworm-slim@sha256:…` uses it.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
COPY web web
COPY console console
COPY sdk sdk
RUN npm run build

# Without the embedded PostgreSQL and chain: this image uses an external database.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --omit=optional && npm cache clean --force

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY package.json ./
COPY bin bin
# Pages that the API reference links to.
COPY docs docs
COPY migrations migrations
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 8080
# Of the API and of a worker alike.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "bin/healthcheck.mjs"]
ENTRYPOINT ["node", "bin/manilla.mjs"]
CMD ["serve"]
