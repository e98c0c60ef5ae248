"""Keys of payment services and shops."""

from chorus.core.redaction.rule import Rule

RULES = (
    Rule(
        "stripe-key",
        "Stripe secret key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "ek_live_", "ek_test_"),
        r"\b([esr]k_(?:live|test)_[A-Za-z0-9]{16,})\b",
        "Stripe documentation: API keys",
    ),
    Rule(
        "webhook-secret",
        "Signing secret of a webhook",
        ("whsec_",),
        r"\b(whsec_[A-Za-z0-9+/]{24,64}={0,2})",
        "Stripe documentation, Standard Webhooks: signatures",
    ),
    Rule(
        "square-token",
        "Square token",
        ("sq0atp-", "sq0csp-", "eaaa"),
        r"\b(sq0(?:atp|csp)-[\w-]{22,43}|EAAA[\w-]{60})",
        "Square documentation: access tokens",
    ),
    Rule(
        "shopify-token",
        "Shopify token",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_"),
        r"\b(shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32})\b",
        "Shopify documentation: access tokens",
    ),
    Rule(
        "braintree-token",
        "Braintree access token",
        ("access_token$",),
        r"\b(access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})\b",
        "Braintree documentation: access tokens",
    ),
    Rule(
        "plaid-token",
        "Plaid access token",
        ("access-sandbox-", "access-development-", "access-production-"),
        r"\b(access-(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})\b",
        "Plaid documentation: tokens",
    ),
    Rule(
        "razorpay-key",
        "Razorpay key",
        ("rzp_live_", "rzp_test_"),
        r"\b(rzp_(?:live|test)_[A-Za-z0-9]{14})\b",
        "Razorpay documentation: API keys",
    ),
    Rule(
        "flutterwave-key",
        "Flutterwave secret key",
        ("flwseck",),
        r"\b(FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?)",
        "Flutterwave documentation: API keys",
    ),
    Rule(
        "easypost-key",
        "EasyPost API key",
        ("ezak", "eztk"),
        r"\b(EZ[AT]K[A-Za-z0-9]{54})\b",
        "EasyPost documentation: API keys",
    ),
    Rule(
        "shippo-token",
        "Shippo token",
        ("shippo_live_", "shippo_test_"),
        r"\b(shippo_(?:live|test)_[a-f0-9]{40})\b",
        "Shippo documentation: authentication",
    ),
    Rule(
        "duffel-token",
        "Duffel token",
        ("duffel_live_", "duffel_test_"),
        r"\b(duffel_(?:live|test)_[\w=-]{43})",
        "Duffel documentation: access tokens",
    ),
)
