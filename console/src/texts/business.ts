export const business = {}
