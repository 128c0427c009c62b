"""Five training steps of ResNet-50 in fp32, batch 32, SGD with momentum, recorded: the program behind the 2023 trace.

    resnet50.py --output FOLDER

The step starts by dropping the gradients, the prediction of a step lives until the next one replaces it, and the
targets are 32 x 1000 probabilities. `convolutions.json` lists the convolutions of a forward pass in order, by what
decides their plan: whoever compares can then tell which workspace belongs to which.
"""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path

import torch
from torch import nn

from recorder import recorded

BATCH = 32
CLASSES = 1_000
WARM_STEPS = 2
STEPS = 5
# Bottlenecks of each stage, and the channels inside them; they hand on four times as many.
STAGES = ((3, 64), (4, 128), (6, 256), (3, 512))
EXPANSION = 4


class Normed(nn.Module):
    """A convolution without bias and its batch norm."""

    def __init__(self, inputs, outputs, kernel, stride=1):
        super().__init__()
        self.convolution = nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return self.norm(self.convolution(x))


class Bottleneck(nn.Module):
    def __init__(self, inputs, channels, stride):
        super().__init__()
        outputs = EXPANSION * channels
        self.reduce = Normed(inputs, channels, 1)
        self.middle = Normed(channels, channels, 3, stride)
        self.expand = Normed(channels, outputs, 1)
        self.shortcut = Normed(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def forward(self, x):
        y = torch.relu_(self.reduce(x))
        y = torch.relu_(self.middle(y))
        y = self.expand(y)
        y += x if self.shortcut is None else self.shortcut(x)
        return torch.relu_(y)


def resnet50():
    layers, width = [Normed(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
    for stage, (blocks, channels) in enumerate(STAGES):
        for block in range(blocks):
            layers.append(Bottleneck(width, channels, stride=2 if stage > 0 and block == 0 else 1))
            width = EXPANSION * channels
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, CLASSES))


def list_convolutions(model, images):
    """[input shape, weight shape, stride] of each, in the order of a forward pass."""
    found = []

    def note(module, inputs):
        found.append([list(inputs[0].shape), list(module.weight.shape), list(module.stride)])

    hooks = [module.register_forward_pre_hook(note) for module in model.modules() if isinstance(module, nn.Conv2d)]
    with torch.no_grad():
        model(images)
    for hook in hooks:
        hook.remove()
    return found


def train(model, images, targets, output):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loss = nn.CrossEntropyLoss()
    with ExitStack() as recording:
        for step in range(WARM_STEPS + STEPS):
            if step == WARM_STEPS:
                recording.enter_context(recorded(output, "resnet50"))
            optimizer.zero_grad(set_to_none=True)
            prediction = model(images)
            loss(prediction, targets).backward()
            optimizer.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", required=True)
    arguments = parser.parse_args()
    model = resnet50().cuda()
    images = torch.randn(BATCH, 3, 224, 224, device="cuda")
    targets = torch.rand(BATCH, CLASSES, device="cuda")
    convolutions = list_convolutions(model, images)
    Path(arguments.output, "convolutions.json").write_text(json.dumps(convolutions) + "\n", encoding="utf-8")
    train(model, images, targets, arguments.output)


if __name__ == "__main__":
    main()
