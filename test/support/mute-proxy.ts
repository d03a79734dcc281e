import { connect, createServer, type Socket } from 'node:net'

export type MuteProxy = {
  /** The database behind the proxy. */
  url: string
  /** Open connections stay open but carry no data, without a reset. */
  mute(): void
  /** Also affects new connections, until `unmute`. */
  muteNew(): void
  unmute(): void
  close(): void
}

/** A network between the service and PostgreSQL that can lose packets without closing anything. */
export async function openMuteProxy(databaseUrl: string): Promise<MuteProxy> {
  const target = new URL(databaseUrl)
  const open = new Set<{ client: Socket; server: Socket }>()
  let isMuteForNew = false
  const proxy = createServer((client) => {
    const server = connect(socketOf(target))
    const pair = { client, server }
    open.add(pair)
    const end = () => {
      client.destroy()
      server.destroy()
      open.delete(pair)
    }
    for (const socket of [client, server]) socket.on('error', end).on('close', end)
    if (isMuteForNew) muteOne(pair)
    else client.pipe(server).pipe(client)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }

  return {
    url: throughPort(databaseUrl, port),
    mute() {
      for (const pair of open) muteOne(pair)
    },
    muteNew() {
      isMuteForNew = true
    },
    unmute() {
      isMuteForNew = false
    },
    close() {
      proxy.close()
      for (const { client, server } of open) {
        client.destroy()
        server.destroy()
      }
    },
  }
}

function muteOne({ client, server }: { client: Socket; server: Socket }): void {
  client.unpipe(server)
  server.unpipe(client)
  client.resume()
  server.resume()
}

/** The tests' server listens on a socket file, whose folder is in the query. */
function socketOf(url: URL): { path: string } | { host: string; port: number } {
  const folder = url.searchParams.get('host')
  const port = url.searchParams.get('port') ?? (url.port || '5432')
  return folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${port}` }
    : { host: url.hostname || '127.0.0.1', port: Number(port) }
}

function throughPort(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.toString()
}
