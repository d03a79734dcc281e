const { join } = require('node:path')
const { defineConfig } = require('@medusajs/framework/utils')

const { DATABASE_URL, MANILLA_KEY, MANILLA_URL, WEBHOOK_SECRET } = process.env

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: DATABASE_URL,
    databaseDriverOptions: { connection: { ssl: false } },
    http: {
      storeCors: 'http://127.0.0.1',
      adminCors: 'http://127.0.0.1',
      authCors: 'http://127.0.0.1',
      jwtSecret: 'for-tests-only',
      cookieSecret: 'for-tests-only',
    },
  },
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: {
        providers: [
          {
            resolve: join(__dirname, '../../dist/manilla-medusa.js'),
            id: 'manilla',
            options: {
              secretKey: MANILLA_KEY,
              baseUrl: MANILLA_URL,
              webhookSecret: WEBHOOK_SECRET,
            },
          },
        ],
      },
    },
  ],
})
