export const payments = {}
