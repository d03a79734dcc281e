import type { MailBlock, MailContent } from './content.js'

/** The plain text of a mail. */
export function renderText({ heading, blocks, reason, sender }: MailContent): string {
  const parts = [heading, ...blocks.map(renderBlock), '-- ', reason]
  if (sender?.replyTo) parts.push(`Questions? Reply to this mail, or write to ${sender.replyTo}.`)
  return `${parts.join('\n\n')}\n`
}

function renderBlock(block: MailBlock): string {
  switch (block.type) {
    case 'paragraph':
    case 'note':
      return block.text
    case 'amount':
      return `${block.label}: ${block.amount}`
    case 'facts':
      return block.facts.map(([name, value]) => `${name}: ${value}`).join('\n')
    case 'button':
      return `${block.label}:\n${block.url}`
  }
}
