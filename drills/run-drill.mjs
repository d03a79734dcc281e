import { buildOrExit } from '../bin/build-when-needed.mjs'
import { readOptions } from './options.mjs'
import { findPrograms } from './packages.mjs'
import { withSite } from './site.mjs'

/**
 * Runs a drill from the command line and ends the process: exit code 0 when every proof holds.
 * `drill` returns whether they do.
 */
export async function runDrill({ name, defaults, programs }, drill) {
  const [options, found] = prepareOrExit(defaults, programs)
  await buildOrExit()
  console.log(`${name}, ${describe(options, defaults)}`)
  try {
    const isRight = await withSite(options, (site) => drill({ site, options, programs: found }))
    console.log(isRight ? '\nThe drill passed.' : '\nTHE DRILL FAILED.')
    process.exit(isRight ? 0 : 1)
  } catch (error) {
    console.error('\nTHE DRILL FAILED:', error)
    process.exit(1)
  }
}

function prepareOrExit(defaults, programs) {
  try {
    return [readOptions(defaults), findPrograms(programs)]
  } catch (error) {
    console.error(error.message)
    process.exit(2)
  }
}

/** The options that repeat this run. */
function describe(options, defaults) {
  return ['seed', ...Object.keys(defaults)].map((name) => `--${name} ${options[name]}`).join(' ')
}
