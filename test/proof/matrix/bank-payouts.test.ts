import { bankPayouts } from './paths/bank-payouts.js'
import { testPaths } from './test-paths.js'

testPaths('bank payouts', bankPayouts)
