"""Runs of a decoder-only transformer of 3.4 G parameters, each recorded: the program behind the `kk` traces.

    transformer.py --output FOLDER [--precision fp32|mixed] RUN...        RUN is forward:CONTEXT or fullstep:CONTEXT

Runs follow each other in one process, as they did when the traces were recorded: what a run leaves in the
allocator's cache, the next one starts by giving back. Everything is made of elementary operators, and the
order in which temporaries come and go is part of what is reproduced; where it looks arbitrary, a comment says so.
"""

import argparse
import math
from contextlib import nullcontext

import torch
from torch import nn

from recorder import recorded

BATCH = 4
VOCABULARY = 10_000
BLOCKS = 32
WIDTH = 2_560
HIDDEN = 10_240
HEADS = 32
THETA = 10_000.0


def weight(*shape):
    """Values are never looked at, so none are drawn."""
    return nn.Parameter(torch.empty(*shape, device="cuda"))


class Linear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = weight(outputs, inputs)

    def forward(self, x):
        return torch.einsum("oi,...i->...o", self.weight, x)


class RmsNorm(nn.Module):
    def __init__(self, width, epsilon=1e-5):
        super().__init__()
        self.epsilon = epsilon
        self.weight = weight(width)

    def forward(self, x):
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        normed = x / torch.sqrt(length**2 / x.shape[-1] + self.epsilon)
        scaled = torch.einsum("d,...d->...d", self.weight, normed)
        return scaled.to(x.dtype)


class Rotary(nn.Module):
    """Rotary positions over pairs of neighbouring channels, from one table of cosines and sines."""

    def __init__(self, width, context):
        super().__init__()
        positions = torch.arange(context, device="cuda")
        channels = torch.arange(0, width, 2, device="cuda")
        exponents = channels / width
        frequencies = THETA ** -exponents
        angles = positions[:, None] * frequencies
        table = torch.empty(context, width // 2, 2, device="cuda")
        table[..., 0] = torch.cos(angles)
        table[..., 1] = torch.sin(angles)
        self.register_buffer("table", table)

    def forward(self, x, positions):
        cosine = self.table[..., 0][positions].unsqueeze(1)
        sine = self.table[..., 1][positions].unsqueeze(1)
        pairs = x.unflatten(-1, (-1, 2))
        rotated = torch.zeros_like(x)
        rotated[..., 0::2] = pairs[..., 0] * cosine - pairs[..., 1] * sine
        rotated[..., 1::2] = pairs[..., 0] * sine + pairs[..., 1] * cosine
        return rotated


def softmax(x):
    largest = torch.max(x, dim=-1, keepdim=True).values
    powers = torch.exp(x - largest)
    return powers / powers.sum(dim=-1, keepdim=True)


def attend(query, key, value, visible):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(visible == 0, -math.inf)
    shares = softmax(scores)
    return torch.einsum("bhqk,bhkd->bhqd", shares, value)


class Attention(nn.Module):
    def __init__(self, context):
        super().__init__()
        self.query = Linear(WIDTH, WIDTH)
        self.key = Linear(WIDTH, WIDTH)
        self.value = Linear(WIDTH, WIDTH)
        self.output = Linear(WIDTH, WIDTH)
        self.rotary = Rotary(WIDTH // HEADS, context)

    def forward(self, x):
        batch, length, _ = x.shape

        def heads(y):
            return y.view(batch, length, HEADS, -1).transpose(1, 2)

        query, key, value = self.query(x), self.key(x), self.value(x)
        query, key, value = heads(query), heads(key), heads(value)
        positions = torch.arange(length, device=x.device)
        every_position = positions.expand(batch, length)
        rotated_query = self.rotary(query, every_position)
        rotated_key = self.rotary(key, every_position)
        visible = ~torch.triu(torch.ones(length, length, device=x.device), diagonal=1).bool()
        mixed = attend(rotated_query, rotated_key, value, visible.expand(batch, HEADS, length, length))
        mixed = mixed.transpose(1, 2).reshape(batch, length, WIDTH)
        projected = self.output(mixed)
        # The order in which the recorded program let go of these.
        del query, key, rotated_query, rotated_key, value, positions, every_position, visible
        return projected


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Linear(WIDTH, HIDDEN)
        self.down = Linear(HIDDEN, WIDTH)
        self.up = Linear(WIDTH, HIDDEN)

    def forward(self, x):
        gate = self.gate(x)
        up = self.up(x)
        return self.down(up * (gate * torch.sigmoid(gate)))


class Block(nn.Module):
    def __init__(self, context):
        super().__init__()
        self.attention_norm = RmsNorm(WIDTH)
        self.attention = Attention(context)
        self.feed_forward_norm = RmsNorm(WIDTH)
        self.feed_forward = FeedForward()

    def forward(self, x):
        y = self.attention_norm(x)
        y = self.attention(y)
        x = x + y
        y = self.feed_forward_norm(x)
        y = self.feed_forward(y)
        return x + y


class Transformer(nn.Module):
    def __init__(self, context):
        super().__init__()
        self.embedding = weight(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block(context) for _ in range(BLOCKS))
        self.norm = RmsNorm(WIDTH)
        self.head = Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        x = self.embedding[tokens]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def cross_entropy(logits, targets):
    """Of logits [n, classes] and targets [n]; the row numbers that pick the targets live on the host."""
    largest = torch.max(logits, dim=-1, keepdim=True).values
    logits = logits - largest
    total = torch.exp(logits).sum(dim=-1)
    chosen = logits[torch.arange(logits.shape[0]), targets]
    losses = torch.log(total) - chosen
    return losses.mean()


class AdamW(torch.optim.Optimizer):
    """AdamW whose bias correction is part of the step size, so that it makes two temporaries per parameter."""

    def __init__(self, parameters, rate=1e-3, betas=(0.9, 0.999), epsilon=1e-8, decay=0.01):
        super().__init__(parameters, {"rate": rate, "betas": betas, "epsilon": epsilon, "decay": decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            rate, (keep_mean, keep_square) = group["rate"], group["betas"]
            for parameter in group["params"]:
                state = self.state[parameter]
                if not state:
                    state["step"] = 0
                    state["mean"] = torch.zeros_like(parameter)
                    state["square"] = torch.zeros_like(parameter)
                state["step"] += 1
                mean = state["mean"].mul_(keep_mean).add_(parameter.grad, alpha=1 - keep_mean)
                square = state["square"].mul_(keep_square)
                square.addcmul_(parameter.grad, parameter.grad, value=1 - keep_square)
                correction = math.sqrt(1 - keep_square ** state["step"]) / (1 - keep_mean ** state["step"])
                change = mean / torch.sqrt(square).add_(group["epsilon"])
                parameter.add_(change, alpha=-rate * correction)
                parameter.mul_(1 - rate * group["decay"])


def training_step(model, optimizer, tokens):
    logits = model(tokens)
    loss = cross_entropy(logits.view(-1, VOCABULARY), tokens.view(-1))
    loss.backward()
    optimizer.step()
    return logits, loss


def forward(model, tokens):
    return model(tokens)


def fullstep(model, tokens):
    optimizer = AdamW(model.parameters())
    return optimizer, training_step(model, optimizer, tokens)


KINDS = {"forward": forward, "fullstep": fullstep}


def run(kind, context, precision, output):
    model = Transformer(context)
    tokens = torch.randint(VOCABULARY, (BATCH, context), device="cuda")
    with recorded(output, f"{kind}_{context}_{precision}"):
        torch.cuda.empty_cache()
        with torch.autocast("cuda", torch.bfloat16) if precision == "mixed" else nullcontext():
            kept = KINDS[kind](model, tokens)
    del kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    parser.add_argument("--precision", choices=("fp32", "mixed"), default="fp32")
    parser.add_argument("runs", nargs="+", metavar="KIND:CONTEXT")
    arguments = parser.parse_args()
    torch.set_float32_matmul_precision("high")
    for name in arguments.runs:
        kind, context = name.split(":")
        run(kind, int(context), arguments.precision, arguments.output)


if __name__ == "__main__":
    main()
