"""ResNet-50 (He and others, 2015, with the stride in the 3x3 convolution) in plain torch."""
from torch import nn


def convolution(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


class Bottleneck(nn.Module):
    """1x1, 3x3, 1x1, four times as wide at its end, and a way around."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.reduce = convolution(inputs, width, 1)
        self.spatial = convolution(width, width, 3, stride)
        self.expand = convolution(width, outputs, 1)
        is_same = inputs == outputs and stride == 1
        self.around = nn.Identity() if is_same else convolution(inputs, outputs, 1, stride)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.relu(self.reduce(x))
        y = self.relu(self.spatial(y))
        return self.relu(self.expand(y) + self.around(x))


def stage(inputs: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    first = Bottleneck(inputs, width, stride)
    return nn.Sequential(first, *(Bottleneck(4 * width, width, 1) for _ in range(blocks - 1)))


def resnet50(classes: int = 1000) -> nn.Sequential:
    return nn.Sequential(
        convolution(3, 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, padding=1),
        stage(64, 64, 3, 1), stage(256, 128, 4, 2), stage(512, 256, 6, 2), stage(1024, 512, 3, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, classes),
    )
