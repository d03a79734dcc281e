import { type Action, command } from '../definitions/definition.js'
import * as fields from '../definitions/fields.js'

/** A link into the console of an embedded service, for the operator at this machine. */
export const consoleActions: Action[] = [
  command({
    name: 'console',
    description:
      'open the console of a service that `npm start` runs: a link that works once, on this machine, for 15 minutes',
    input: { print: fields.flag('print the link without opening a browser') },
    async run({ db, now, service }, { print }) {
      const url = await service.openStart(db, now)
      const isOpened = !print && service.openBrowser(url)
      const hint = 'Opens once, on this machine, within 15 minutes.'
      return { data: { url }, text: isOpened ? `Opened ${url}` : [url, hint] }
    },
  }),
]
