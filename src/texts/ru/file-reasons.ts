/** Why the system refuses a file or a folder, by its code. */
export const fileReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'на диске нет места',
  EDQUOT: 'исчерпана дисковая квота',
  EFBIG: 'файл стал бы больше, чем разрешено',
  EACCES: 'нет прав',
  EPERM: 'нет прав',
  EROFS: 'диск только для чтения',
  ENOENT: 'такого файла или папки нет',
  ENOTDIR: 'часть пути — не папка',
  EISDIR: 'это папка',
  ENOTREG: 'это не обычный файл',
  EIO: 'диск сообщает об ошибке',
  SQLITE_FULL: 'на диске нет места',
  SQLITE_READONLY: 'диск только для чтения',
  SQLITE_BUSY: 'его занял другой процесс svc',
  SQLITE_CORRUPT: 'он повреждён',
  SQLITE_NOTADB: 'он повреждён',
};
