import type { Command } from 'commander'
import type { Database } from '../../postgres/database.js'
import { type OperateContext, setOperation } from './operation.js'

/** A link into the console of an embedded service, for the person at this machine. */
export function registerConsole(
  program: Command,
  context: OperateContext,
  {
    openStart,
    openBrowser,
  }: {
    /** Makes the link. */
    openStart(db: Database, now: Date): Promise<string>
    /** False where there is no browser to open. */
    openBrowser(url: string): boolean
  },
): void {
  const command = program
    .command('console')
    .description(
      'open the console of a service that `npm start` runs: a link that works once, on this machine, for 15 minutes',
    )
    .option('--print', 'print the link without opening a browser')
  setOperation<{ print?: true }>(command, context, async ({ db, now, options }) => {
    const url = await openStart(db, now)
    const isOpened = !options.print && openBrowser(url)
    const hint = 'Opens once, on this machine, within 15 minutes.'
    return { data: { url }, text: isOpened ? `Opened ${url}` : [url, hint] }
  })
}
