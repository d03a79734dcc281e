import { providerPayouts } from './paths/bank-payouts.js'
import { testPaths } from './test-paths.js'

testPaths('flutterwave payouts', providerPayouts('flutterwave'))
