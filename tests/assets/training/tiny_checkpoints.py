"""Tiny checkpoints of random weights, in the files that real ones have: a T5, a ViT, a CLIP, a DETR."""

from pathlib import Path

from tests.assets.training import squares

SPECIAL = ("<pad>", "</s>", "<unk>", "<extra_id_0>", "<extra_id_1>")
SIDE, PATCH = 32, 8
_VISION = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}


def texts() -> list[str]:
    """What the toy world says, and every letter, so that no text is unknown."""
    samples, _ = squares.world(8, 0, 0)
    said = [f"{one.question} {' '.join(one.choices or ())} {one.rationale[0].text}" for one in samples if one.rationale]
    return [*said, "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .,:;?!()<>/_"]


def t5(folder: Path, *, width: int = 32, seed: int = 0, tied: bool = True) -> Path:
    """The folder, in which a T5 lies afterwards; not tied: with an output of its own, as its version 1.1 has."""
    import json

    import torch
    from safetensors.torch import load_file, save_file
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    inner = Tokenizer(models.Unigram())
    inner.pre_tokenizer = pre_tokenizers.Metaspace()
    inner.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=160, special_tokens=list(SPECIAL), unk_token="<unk>", show_progress=False
    )
    inner.train_from_iterator(texts(), trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=list(SPECIAL[3:]),
    )
    config = T5Config(
        vocab_size=len(tokenizer) + 8,
        d_model=width,
        d_kv=width // 4,
        d_ff=2 * width,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=4,
        decoder_start_token_id=0,
        dropout_rate=0.05,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = T5ForConditionalGeneration(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if not tied:
        weights = folder / "model.safetensors"
        held = load_file(weights)
        save_file({**held, "lm_head.weight": held["shared.weight"].flip(0).contiguous()}, weights, {"format": "pt"})
        said = json.loads((folder / "config.json").read_bytes())
        (folder / "config.json").write_text(json.dumps(said | {"tie_word_embeddings": False}), "utf-8")
    return folder


def vit(folder: Path, *, seed: int = 0, side: int = SIDE) -> Path:
    """A ViT: 17 patches of 32 numbers a picture."""
    import torch
    from transformers import ViTConfig, ViTImageProcessorPil, ViTModel

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = ViTModel(ViTConfig(**_VISION, image_size=side, patch_size=PATCH))
    model.save_pretrained(folder)
    ViTImageProcessorPil(size={"height": side, "width": side}).save_pretrained(folder)
    return folder


def clip(folder: Path, *, seed: int = 0) -> Path:
    """A CLIP with a part for texts, which nothing here reads: 17 patches of 32 numbers a picture."""
    import torch
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel

    config = CLIPConfig(
        vision_config={**_VISION, "image_size": SIDE, "patch_size": PATCH, "projection_dim": 16},
        text_config={**_VISION, "vocab_size": 50, "projection_dim": 16, "bos_token_id": 1, "eos_token_id": 2},
        projection_dim=16,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = CLIPModel(config)
    model.save_pretrained(folder)
    size = {"height": SIDE, "width": SIDE}
    CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size=size).save_pretrained(folder)
    return folder


def detr(folder: Path) -> Path:
    """A DETR: 10 queries of 32 numbers a picture, whatever its size."""
    import torch
    from transformers import DetrConfig, DetrImageProcessorPil, DetrModel, ResNetConfig

    backbone = ResNetConfig(embedding_size=8, hidden_sizes=[8, 8, 8, 16], depths=[1, 1, 1, 1], out_features=["stage4"])
    config = DetrConfig(
        use_timm_backbone=False,
        use_pretrained_backbone=False,
        backbone_config=backbone,
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        num_queries=10,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = DetrModel(config)
    model.save_pretrained(folder)
    DetrImageProcessorPil(size={"shortest_edge": 64, "longest_edge": 96}).save_pretrained(folder)
    return folder
