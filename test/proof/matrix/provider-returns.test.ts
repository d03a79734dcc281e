import { providerReturns } from './paths/provider-payments.js'
import { testPaths } from './test-paths.js'

testPaths('returns of providers', providerReturns)
