"""A training script that knows nothing of Highwater."""

import argparse

import torch


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()

    model = torch.nn.Sequential(
        *(torch.nn.Sequential(torch.nn.Linear(options.width, options.width), torch.nn.GELU()) for _ in range(12)),
        torch.nn.Linear(options.width, 10),
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(options.steps):
        x = torch.randn(options.batch, options.width, device="cuda")
        y = torch.randint(10, (options.batch,), device="cuda")
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
