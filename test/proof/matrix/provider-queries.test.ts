import { providerQueries } from './paths/provider-accounts.js'
import { testPaths } from './test-paths.js'

testPaths('queries of providers', providerQueries)
