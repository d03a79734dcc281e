export const collect = {}
