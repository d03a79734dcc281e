import { providerPayments } from './paths/provider-payments.js'
import { testPaths } from './test-paths.js'

testPaths('payments of providers', providerPayments)
