"""Chinese: what values are given in; words are not parted by spaces, so each is looked up as it stands."""

from __future__ import annotations

TERMS = {
    "batch_size": "批大小 | 批次大小 | 批量大小 | 批处理大小",
    "lr": "学习率",
    "epochs": "训练轮数 | 轮数 | 个轮次 | 轮次 | 轮",
    "steps": "步数 | 步",
    "seq_len": "序列长度",
    "accuracy": "准确率 | 精度 | 正确率 | 准确度",
    "loss": "损失 | 损失值",
    "val_loss": "验证损失",
    "test_loss": "测试损失",
    "rate": "吞吐量 | 速度",
    "time": "时间 | 训练时间 | 运行时间 | 耗时 | 用时 | 总时间 | 花了 | 用了",
    "latency": "延迟",
    "memory": "内存 | 显存 | 内存占用",
    "samples": "样本",
}
RATE_UNITS = {"samples": "样本/秒 | 张/秒 | 个样本每秒"}
SPLITS = {"train": "训练集", "val": "验证集 | 验证", "test": "测试集 | 测试"}
SCOPES = {"device": "每个gpu | 每卡 | 单卡", "epoch": "每轮 | 每个轮次", "step": "每步"}
AVERAGES = {"mean": "平均", "max": "最大 | 峰值", "min": "最小", "total": "总共 | 一共", "initial": "最初 | 初始"}
UP = {"": "提高 | 上升 | 增加 | 升高 | 增长", "speed": "更快", "time": "更长", "accuracy": "更准确"}
DOWN = {"": "下降 | 降低 | 减少 | 降至", "speed": "更慢", "time": "更短"}
BEST = {"speed+": "最快", "speed-": "最慢", "+": "最高", "-": "最低", "better": "最好 | 最佳", "worse": "最差"}
LINKS = "为 | 是 | 达到 | 达到了 | 了 | 的 | 在 | 上 | 到 | 设为 | 设置为 | 等于 | 模型 | 最终 | 我们 | 使用"
ABOUT = "约 | 大约 | 大概 | 左右 | 接近"
AT_LEAST = "超过 | 至少 | 大于"
AT_MOST = "不到 | 最多 | 小于 | 低于"
SUPPOSED = "如果 | 可能 | 应该 | 可以 | 将会 | 预计 | 预期 | 理论上 | 建议 | 推荐 | 下次 | 也许"
DEFAULTS = "默认 | 默认值"
OTHERS = "作业 | 论文 | 文档 | 同学 | 其他人 | 教程"
OTHER_VERBS = "要求 | 使用 | 说 | 显示 | 得到"
EARLIER = "上周 | 昨天 | 之前 | 以前 | 上次"
FAILED = "失败 | 崩溃 | 无法 | 错误 | 中断"
NOT = "不 | 没有 | 没 | 未 | 并非"
INSTEAD = "而不是 | 相比 | 比"
SAME = "相同 | 一样 | 不变"
DID = "训练 | 运行 | 使用 | 设置"
WE = "我 | 我们"
