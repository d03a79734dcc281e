/** `npm run storm` runs every combination; `npm test` covers each rule once. */
export const isLongRun = process.env.STORM_KILLS !== undefined
