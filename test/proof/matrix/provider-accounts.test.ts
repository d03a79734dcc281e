import { providerAccounts } from './paths/provider-accounts.js'
import { testPaths } from './test-paths.js'

testPaths('accounts of providers', providerAccounts)
