export const you = {}
