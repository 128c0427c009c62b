"""Inference steps of a ViT-B/16 in bf16, batch 4; the last one recorded: the program behind the H100 ViT trace.

    vit_b16.py --output FOLDER

Separate query, key and value projections, flash attention, exact GELU, a pooler at the end. The model is made on the
host and moved in bf16, the images are made on the device in fp32 and cast. Which function holds which temporary until
when is part of what is reproduced.
"""

import argparse

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from recorder import recorded

BATCH = 4
IMAGE = 224
PATCH = 16
WIDTH = 768
HIDDEN = 3_072
HEADS = 12
BLOCKS = 12
WARM_STEPS = 6


class Embedding(nn.Module):
    def __init__(self):
        super().__init__()
        patches = (IMAGE // PATCH) ** 2
        self.first = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.positions = nn.Parameter(torch.zeros(1, 1 + patches, WIDTH))
        self.patches = nn.Conv2d(3, WIDTH, PATCH, PATCH)

    def forward(self, images):
        tokens = self.patches(images).flatten(2).transpose(1, 2)
        tokens = torch.cat((self.first.expand(images.shape[0], -1, -1), tokens), dim=1)
        return tokens + self.positions


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        def heads(y):
            return y.unflatten(-1, (HEADS, -1)).transpose(1, 2)

        query = self.query(x)
        key = heads(self.key(x))
        value = heads(self.value(x))
        mixed = nn.functional.scaled_dot_product_attention(heads(query), key, value)
        del key, value, query
        return mixed.transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = SelfAttention()
        self.output = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        mixed = self.attend(x)
        return self.output(mixed)


class FeedForwardIn(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(WIDTH, HIDDEN)

    def forward(self, x):
        return nn.functional.gelu(self.dense(x))


class FeedForwardOut(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(HIDDEN, WIDTH)

    def forward(self, x, residual):
        y = self.dense(x)
        y = y + residual
        return y


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.widen = FeedForwardIn()
        self.narrow = FeedForwardOut()
        self.norm_before = nn.LayerNorm(WIDTH, eps=1e-12)
        self.norm_after = nn.LayerNorm(WIDTH, eps=1e-12)

    def forward(self, x):
        attended = self.attention(self.norm_before(x))
        x = attended + x
        y = self.norm_after(x)
        y = self.widen(y)
        y = self.narrow(y, x)
        del x, attended
        return y


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = Embedding()
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.pooler = nn.Linear(WIDTH, WIDTH)

    def encode(self, x):
        for block in self.blocks:
            x = block(x)
        return x

    def pool(self, x):
        return torch.tanh(self.pooler(x[:, 0]))

    def forward(self, images):
        embedded = self.embedding(images)
        encoded = self.encode(embedded)
        normed = self.norm(encoded)
        pooled = self.pool(normed)
        del embedded, encoded
        return {"normed": normed, "pooled": pooled}


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    model = VisionTransformer().eval().to("cuda", torch.bfloat16)
    images = torch.randn(BATCH, 3, IMAGE, IMAGE, device="cuda").to(torch.bfloat16)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        for _ in range(WARM_STEPS):
            model(images)
        with recorded(arguments.output, "vit_b16"):
            model(images)


if __name__ == "__main__":
    main()
