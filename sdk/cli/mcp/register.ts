import type { Command } from 'commander'
import { findAccess } from '../access.js'
import type { Terminal } from '../terminal.js'

export function registerMcp(program: Command, terminal: Terminal, version: string): void {
  program
    .command('mcp')
    .description(
      'serve the API to an agent over stdio (Model Context Protocol): reads, and proposes with --allow-writes',
    )
    .option('--allow-writes', 'also proposals; needs a key whose payouts wait for approval')
    .option('--live', 'use the live key')
    .action(async ({ allowWrites, live }: { allowWrites?: true; live?: true }) => {
      const access = findAccess(terminal, live ? 'live' : 'test')
      // Loaded when it is needed: other commands start without the protocol.
      const { serveMcp } = await import('./serve.js')
      await serveMcp(terminal, { access, allowsWrites: allowWrites === true, version })
    })
}
