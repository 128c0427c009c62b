"""Train ResNet-50 on random images for a few steps, as torchvision's README does."""
import torch
from torch import nn

try:
    from torchvision.models import resnet50
except ImportError:  # the same network, to the byte
    from resnet import resnet50

model = resnet50().cuda().train()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

for step in range(3):
    images = torch.randn(32, 3, 224, 224, device="cuda")
    labels = torch.randint(0, 1000, (32,), device="cuda")
    loss = criterion(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.3f}")

print("peak allocated", torch.cuda.max_memory_allocated())
print("peak reserved", torch.cuda.max_memory_reserved())
