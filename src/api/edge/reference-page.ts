import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'

/**
 * A page to read the OpenAPI document. Uses only the script of the package: its plugin would load
 * an unneeded parser, and the script, at every start.
 */
export async function addReferencePage(app: FastifyInstance): Promise<void> {
  const schema = { hide: true }
  await app.register(async (docs) => {
    docs.addHook('onRequest', async (_request, reply) => {
      reply.header('content-security-policy', pagePolicy)
      reply.header('cache-control', 'no-cache')
    })
    docs.get('/docs', { schema }, async (_request, reply) => reply.redirect('/docs/', 301))
    docs.get('/docs/', { schema }, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send(page),
    )
    docs.get('/docs/js/scalar.js', { schema }, async (_request, reply) =>
      reply.type('application/javascript; charset=utf-8').send(await readScript()),
    )
  })
}

function readScript(): Promise<Buffer> {
  const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')
  return readFile(path.join(path.dirname(entry), 'js/standalone.js'))
}

const brand = `
  .light-mode {
    --scalar-background-1: #faf7f1; --scalar-background-2: #ffffff; --scalar-background-3: #f6eedd;
    --scalar-color-1: #1c1b18; --scalar-color-2: #57534a; --scalar-color-3: #6b665c;
    --scalar-color-accent: #8a5a12; --scalar-border-color: #e7e0d2;
  }
  .dark-mode {
    --scalar-background-1: #14130f; --scalar-background-2: #1e1c17; --scalar-background-3: #37332a;
    --scalar-color-1: #f3eee3; --scalar-color-2: #c9c1b1; --scalar-color-3: #a79f8f;
    --scalar-color-accent: #e2b25e; --scalar-border-color: #37332a;
  }`

/** Turns off buttons that would send the document to a third party. */
const noAgents = { agent: { disabled: true }, mcp: { disabled: true } }

const configuration = {
  url: '/openapi.json',
  customCss: brand,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  ...noAgents,
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <title>Manilla API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>${brand}</style>
  </head>
  <body>
    <div id="app"></div>
    <script src="js/scalar.js"></script>
    <script>Scalar.createApiReference('#app', ${JSON.stringify(configuration)})</script>
  </body>
</html>
`

/** The page has inline script and styles, and connects to this server only. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
].join(';')
