"""A trainer of a test, which calls the hooks of callbacks where PyTorch Lightning does, and has what ours uses of it."""

import types

# https://lightning.ai/docs/pytorch/stable/api/lightning.pytorch.callbacks.Callback.html
HOOKS = """load_state_dict on_after_backward on_before_backward on_before_optimizer_step on_before_zero_grad
    on_exception on_fit_end on_fit_start on_load_checkpoint on_predict_batch_end on_predict_batch_start
    on_predict_end on_predict_epoch_end on_predict_epoch_start on_predict_start on_sanity_check_end
    on_sanity_check_start on_save_checkpoint on_test_batch_end on_test_batch_start on_test_end on_test_epoch_end
    on_test_epoch_start on_test_start on_train_batch_end on_train_batch_start on_train_end on_train_epoch_end
    on_train_epoch_start on_train_start on_validation_batch_end on_validation_batch_start on_validation_end
    on_validation_epoch_end on_validation_epoch_start on_validation_start setup state_dict teardown""".split()


class Trainer:
    """Trains a model by the loss of each batch, which a subclass computes."""

    def __init__(self, callbacks, model, optimizer, schedulers=(), accumulate=1):
        self.callbacks = callbacks
        self.model = model
        self.optimizers = [optimizer]
        self.lr_scheduler_configs = [types.SimpleNamespace(scheduler=scheduler) for scheduler in schedulers[:1]]
        self.fit_loop = types.SimpleNamespace(
            state_dict=lambda: {"steps": self.global_step},
            load_state_dict=lambda state: setattr(self, "global_step", state["steps"]),
        )
        self.global_step = 0
        self.should_stop = False
        self.accumulate = accumulate
        self.losses = []

    def loss(self):
        raise NotImplementedError

    def call(self, hook, *arguments):
        for callback in self.callbacks:
            getattr(callback, hook)(self, self.model, *arguments)

    def fit(self, steps):
        self.call("setup", "fit")
        self.call("on_fit_start")
        self.call("on_train_start")
        batch = 0
        while self.global_step < steps and not self.should_stop:
            self.call("on_train_batch_start", None, batch)
            loss = self.loss()
            loss.backward()
            batch += 1
            if batch % self.accumulate == 0:
                self.optimizers[0].step()
                self.optimizers[0].zero_grad()
                for config in self.lr_scheduler_configs:
                    config.scheduler.step()
                self.global_step += 1
            self.losses.append(loss.item().hex())
            self.call("on_train_batch_end", loss, None, batch)
        self.call("on_train_end")
        return self.losses
