import { formatMoney } from '../../money/amounts.js'
import type { ExchangeView } from './view-exchange.js'

/** As commands print it with `--json`, and as the console reads it. Amounts are for people. */
export function showExchange({ mode, positions, profit }: ExchangeView) {
  return {
    mode,
    positions: positions.map(({ asset, stock, bought, sold, inventory, ceiling, fees, worth }) => ({
      asset,
      stock: formatMoney(stock, asset),
      bought: formatMoney(bought, asset),
      sold: formatMoney(sold, asset),
      inventory: formatMoney(inventory, asset),
      ceiling: ceiling === null ? null : formatMoney(ceiling, asset),
      fees: formatMoney(fees, asset),
      worth: worth === null ? null : formatMoney(worth, 'NGN'),
    })),
    profit: profit === null ? null : formatMoney(profit, 'NGN'),
  }
}
