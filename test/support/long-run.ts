/** `npm run storm` and `npm run test:long` run every combination; `npm test` covers each rule once. */
export const isLongRun = process.env.LONG_RUN !== undefined
