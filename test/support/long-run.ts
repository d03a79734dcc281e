/** `npm run storm` runs every combination; `npm test` runs enough to meet each rule once. */
export const isLongRun = process.env.STORM_KILLS !== undefined
