import { accounts } from './paths/accounts.js'
import { testPaths } from './test-paths.js'

testPaths('accounts', accounts)
