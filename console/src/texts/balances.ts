export const balances = {}
