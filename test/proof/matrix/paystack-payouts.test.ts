import { providerPayouts } from './paths/bank-payouts.js'
import { testPaths } from './test-paths.js'

testPaths('paystack payouts', providerPayouts('paystack'))
