"""Models with random weights, small enough to be made in a test, saved as real ones are.

What transformers offers is imported in the functions: it takes seconds.
"""

from functools import cache

import torch

SIDE = 32  # px, of the pictures they see
SPECIAL = (
    *("<pad>", "<start>", "<end>", "<image>", "<fake_token_around_image>", "<global-img>"),
    *("<|vision_start|>", "<|image_pad|>", "<|vision_end|>", "<|video_pad|>", "<end_of_utterance>"),
)
TEMPLATE = (
    "{% for turn in messages %}{{ turn['role'] }}: {% for part in turn['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}{% endfor %}\n"
    "{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"
)
EYE = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": SIDE,
    "patch_size": 16,
}
MOUTH = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}


@cache
def tokenizer():
    """A byte-level tokenizer trained on one line; `<end>` has the highest number, as CLIP's has."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    coder = Tokenizer(models.BPE())
    coder.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    coder.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet, show_progress=False)
    coder.train_from_iterator(["yes no the red block is in the basket"] * 2, trainer)
    coder.add_special_tokens([name for name in SPECIAL if name != "<end>"])
    coder.add_special_tokens(["<end>"])
    ends = [(name, coder.token_to_id(name)) for name in ("<start>", "<end>")]
    coder.post_processor = processors.TemplateProcessing(
        single="<start> $A <end>", pair=None, special_tokens=ends
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=coder, pad_token="<end>", bos_token="<start>", eos_token="<end>"
    )


def token(name):
    return tokenizer().convert_tokens_to_ids(name)


def _numbers():
    """The numbers that every configuration of a text side holds."""
    ends = {
        f"{name}_token_id": token(f"<{full}>") for name, full in (("bos", "start"), ("eos", "end"))
    }
    return {**ends, "pad_token_id": token("<end>"), "vocab_size": len(tokenizer())}


def pictures_ready():
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    square = {"height": SIDE, "width": SIDE}
    return CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size=square)


def llava(folder, *, terse=False, seed=0, context=512):
    """Save a LLaVA in `folder`; a terse one ends its answer after one token.

    `context` is how many tokens a question and its answer may have together.
    """
    import transformers as t

    torch.manual_seed(seed)
    config = t.LlavaConfig(
        vision_config=t.CLIPVisionConfig(**EYE, projection_dim=16),
        text_config=t.LlamaConfig(**MOUTH | {"max_position_embeddings": context}, **_numbers()),
        image_token_index=token("<image>"),
    )
    model = t.LlavaForConditionalGeneration(config)
    # Random weights say nearly the same at all places: larger ones make an answer of their own.
    torch.nn.init.normal_(model.lm_head.weight, std=1.0)
    ends = list(range(len(tokenizer()))) if terse else token("<end>")
    model.generation_config.eos_token_id = ends
    model.generation_config.pad_token_id = token("<end>")
    processor = t.LlavaProcessor(
        pictures_ready(),
        tokenizer(),
        patch_size=16,
        vision_feature_select_strategy="default",
        image_token="<image>",
        num_additional_image_tokens=1,
        chat_template=TEMPLATE.replace("IMAGE", "<image>"),
    )
    return _save(folder, model, processor)


def qwen2_vl(seed=0):
    """Make a Qwen2-VL and what readies its pictures, which become more or fewer tokens."""
    import transformers as t
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    torch.manual_seed(seed)
    config = t.Qwen2VLConfig(
        text_config={
            **MOUTH,
            **_numbers(),
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 1e4,
                "mrope_section": [1, 1, 2],
            },
        },
        vision_config={
            "embed_dim": 16,
            "hidden_size": 16,
            "depth": 1,
            "num_heads": 2,
            "mlp_ratio": 1,
        },
        image_token_id=token("<|image_pad|>"),
        video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"),
        vision_end_token_id=token("<|vision_end|>"),
    )
    return t.Qwen2VLForConditionalGeneration(config), _Ready(
        Qwen2VLImageProcessorPil(min_pixels=28 * 28, max_pixels=112 * 112)
    )


class _Ready:
    """What a Qwen2-VL's processor does with pictures; its own can't be made without torchvision."""

    def __init__(self, pictures):
        self.pictures, self.tokenizer = pictures, tokenizer()

    def apply_chat_template(self, turns, **_):
        from transformers import BatchFeature

        parts = [part for turn in turns for part in turn["content"]]
        seen = self.pictures([p["image"] for p in parts if "image" in p], return_tensors="pt")
        counts = (int(grid.prod()) // 4 for grid in seen["image_grid_thw"])
        words = [
            f"<|vision_start|>{'<|image_pad|>' * next(counts)}<|vision_end|>"
            if "image" in part
            else part["text"]
            for part in parts
        ]
        said = self.tokenizer("".join(words), add_special_tokens=False, return_tensors="pt")
        ids = said["input_ids"]
        kinds = (ids == token("<|image_pad|>")).int()
        return BatchFeature({**said, **seen, "mm_token_type_ids": kinds})


def clip(folder, seed=0):
    """Save a CLIP in `folder`."""
    import transformers as t

    torch.manual_seed(seed)
    text = {k: v for k, v in MOUTH.items() if k != "num_key_value_heads"} | _numbers()
    config = t.CLIPConfig(
        text_config={**text, "max_position_embeddings": 16}, vision_config=EYE, projection_dim=8
    )
    return _save(folder, t.CLIPModel(config), pictures_ready(), tokenizer())


def siglip(folder, seed=0):
    """Save a SigLIP in `folder`."""
    import transformers as t
    from transformers.models.siglip.image_processing_pil_siglip import SiglipImageProcessorPil

    torch.manual_seed(seed)
    text = {k: v for k, v in MOUTH.items() if k != "num_key_value_heads"} | _numbers()
    config = t.SiglipConfig(
        text_config={**text, "max_position_embeddings": 16, "projection_size": 16},
        vision_config=EYE,
    )
    ready = SiglipImageProcessorPil(size={"height": SIDE, "width": SIDE})
    return _save(folder, t.SiglipModel(config), ready, tokenizer())


def dinov2(folder, seed=0):
    """Save a DINOv2 in `folder`."""
    import transformers as t

    torch.manual_seed(seed)
    eye = {k: v for k, v in EYE.items() if k != "intermediate_size"}
    return _save(folder, t.Dinov2Model(t.Dinov2Config(**eye)), pictures_ready())


def _save(folder, *parts):
    from transformers.utils import logging

    logging.disable_progress_bar()
    for part in parts:
        part.save_pretrained(folder)
    return folder
