/** What the merchant states, as `GET /v1/kyc` returns it. Null: not filled in yet. */
export type KycForm = {
  business: {
    legalName: string | null
    type: 'sole_trader' | 'business_name' | 'company' | 'non_profit' | null
    registrationNumber: string | null
    taxNumber: string | null
    address: string | null
    city: string | null
    state: string | null
    website: string | null
    description: string | null
  }
  contact: { name: string | null; email: string | null; phone: string | null }
  people: {
    name: string | null
    position: 'owner' | 'director' | null
    dateOfBirth: string | null
    bvn: string | null
    sharePercent: number | null
  }[]
}

export type DocumentKind = 'registration' | 'identity' | 'address' | 'other'
