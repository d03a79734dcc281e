export const payouts = {}
