/** Names that people expect for filters of lists, beside the API's own. */
export const filterAliases: Record<string, string> = {
  sender: 'payer',
  merchantReference: 'order',
}
