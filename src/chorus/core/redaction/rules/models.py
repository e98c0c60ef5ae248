"""Keys of services that run language models."""

from chorus.core.redaction.rule import Rule

RULES = (
    Rule(
        "anthropic-key",
        "Anthropic API key",
        ("sk-ant-",),
        r"\b(sk-ant-[\w-]{32,})",
        "Anthropic API: API keys, admin keys and OAuth tokens begin with sk-ant-",
    ),
    Rule(
        "openrouter-key",
        "OpenRouter API key",
        ("sk-or-v1-",),
        r"\b(sk-or-v1-[a-f0-9]{64})\b",
        "OpenRouter documentation: authentication",
    ),
    Rule(
        "langfuse-key",
        "Langfuse secret key",
        ("sk-lf-",),
        r"\b(sk-lf-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})\b",
        "Langfuse documentation: API keys",
    ),
    Rule(
        "openai-key",
        "OpenAI API key",
        ("sk-",),
        r"\b(sk-(?:(?:proj|svcacct|admin|None)-[\w-]{32,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{32,64}))",
        "OpenAI API reference: authentication; DeepSeek and others use the same prefix",
    ),
    Rule(
        "huggingface-token",
        "Hugging Face token",
        ("hf_", "api_org_"),
        r"\b((?:hf_|api_org_)[A-Za-z0-9]{34,40})\b",
        "Hugging Face documentation: user access tokens",
    ),
    Rule(
        "replicate-token",
        "Replicate API token",
        ("r8_",),
        r"\b(r8_[A-Za-z0-9]{37})\b",
        "Replicate documentation: API tokens",
    ),
    Rule(
        "groq-key",
        "Groq API key",
        ("gsk_",),
        r"\b(gsk_[A-Za-z0-9]{48,56})\b",
        "Groq console: API keys",
    ),
    Rule(
        "perplexity-key",
        "Perplexity API key",
        ("pplx-",),
        r"\b(pplx-[A-Za-z0-9]{48,56})\b",
        "Perplexity documentation: API keys",
    ),
    Rule("xai-key", "xAI API key", ("xai-",), r"\b(xai-[A-Za-z0-9]{70,90})\b", "xAI documentation: API keys"),
    Rule(
        "nvidia-key",
        "NVIDIA API key",
        ("nvapi-",),
        r"\b(nvapi-[\w-]{60,72})",
        "NVIDIA build catalogue: API keys",
    ),
    Rule(
        "langsmith-key",
        "LangSmith API key",
        ("lsv2_",),
        r"\b(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})\b",
        "LangSmith documentation: API keys",
    ),
    Rule(
        "pinecone-key",
        "Pinecone API key",
        ("pcsk_",),
        r"\b(pcsk_[A-Za-z0-9_]{50,80})\b",
        "Pinecone documentation: API keys",
    ),
    Rule(
        "tavily-key",
        "Tavily API key",
        ("tvly-",),
        r"\b(tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,40})\b",
        "Tavily documentation: API keys",
    ),
    Rule("e2b-key", "E2B API key", ("e2b_",), r"\b(e2b_[a-f0-9]{40})\b", "E2B documentation: API keys"),
)
