import { frameTexts, type MailBlock, type MailContent } from './content.js'

/** The plain text of a mail. */
export function renderText(content: MailContent): string {
  const { heading, blocks, reason, sender, language = 'en' } = content
  const parts = [heading, ...blocks.map(renderBlock), '-- ', reason]
  if (sender?.replyTo) parts.push(frameTexts[language].questions(sender.replyTo))
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
