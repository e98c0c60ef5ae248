"""Tokens of services that send messages and mail."""

from chorus.core.redaction.rule import Rule

RULES = (
    Rule(
        "slack-token",
        "Slack token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe", "xapp-", "xoxc-", "xoxd-"),
        r"\b((?:xox[abcdeprs]|xapp)(?:\.xox[bp])?-[A-Za-z0-9%-]{20,})",
        "Slack documentation: token types",
    ),
    Rule(
        "slack-webhook",
        "Slack webhook",
        ("hooks.slack.com/",),
        r"(hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{30,100})",
        "Slack documentation: incoming webhooks",
    ),
    Rule(
        "discord-webhook",
        "Discord webhook",
        ("/api/webhooks/",),
        r"(discord(?:app)?\.com/api/webhooks/[0-9]{16,20}/[\w-]{60,80})",
        "Discord documentation: webhooks",
    ),
    Rule(
        "discord-token",
        "Discord bot token",
        ("discord", "bot "),
        r"\b([MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,40})",
        "Discord documentation: bot tokens are an id, a time and a signature",
    ),
    Rule(
        "telegram-token",
        "Telegram bot token",
        (":aa",),
        r"\b([0-9]{8,10}:AA[\w-]{32,34})",
        "Telegram documentation: Bot API",
    ),
    Rule(
        "twilio-key",
        "Twilio key",
        ("sk", "ac"),
        r"\b((?:SK|AC)[a-f0-9]{32})\b",
        "Twilio documentation: SIDs and API keys",
    ),
    Rule(
        "sendgrid-key",
        "SendGrid API key",
        ("sg.",),
        r"\b(SG\.[\w-]{20,24}\.[\w-]{39,50})",
        "SendGrid documentation: API keys",
    ),
    Rule(
        "mailgun-key",
        "Mailgun key",
        ("key-",),
        r"\b(key-[a-f0-9]{32})\b",
        "Mailgun documentation: API keys",
    ),
    Rule(
        "mailchimp-key",
        "Mailchimp API key",
        ("-us",),
        r"\b([a-f0-9]{32}-us[0-9]{1,2})\b",
        "Mailchimp documentation: API keys",
    ),
    Rule(
        "brevo-key",
        "Brevo API key",
        ("xkeysib-", "xsmtpsib-"),
        r"\b(x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16})\b",
        "Brevo documentation: API keys",
    ),
    Rule(
        "resend-key",
        "Resend API key",
        ("re_",),
        r"\b(re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24})\b",
        "Resend documentation: API keys",
    ),
    Rule(
        "teams-webhook",
        "Microsoft Teams webhook",
        (".webhook.office.com/",),
        r"([a-z0-9-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{60,})",
        "Microsoft Teams documentation: incoming webhooks",
    ),
)
