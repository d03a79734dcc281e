import { sandboxPayouts } from './paths/bank-payouts.js'
import { testPaths } from './test-paths.js'

testPaths('sandbox payouts', sandboxPayouts)
